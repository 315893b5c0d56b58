import { entryOf, type Located, type Place } from '@rungar/model';
import { readScalar, type Scalar } from './scalars.js';

/**
 * A value in a Kubernetes object, or the want of one: it knows its JSON pointer and the nearest place in the text either
 * way, so that a rule may speak of a field that was left out. A null is the same as nothing, as the API has it.
 */
export class KubeValue {
  /** The value as written; nothing for a field that is not there. */
  readonly located: Located | undefined;
  /** Where it stands, else where what should hold it stands. */
  readonly place: Place;
  readonly #parent: KubeValue | undefined;
  readonly #key: string;

  constructor(located: Located | undefined, place: Place, parent?: KubeValue, key = '') {
    this.located = located?.kind === 'scalar' && located.isNull ? undefined : located;
    this.place = located?.place ?? place;
    this.#parent = parent;
    this.#key = key;
  }

  /** From the object's root: `/spec/template/spec/containers/0`. */
  get pointer(): string {
    if (this.#parent === undefined) return '';
    return `${this.#parent.pointer}/${this.#key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }

  get exists(): boolean {
    return this.located !== undefined;
  }

  /** The value of a field, or of a field within that. */
  at(...path: readonly string[]): KubeValue {
    let value: KubeValue = this;
    for (const key of path) value = value.#field(key);
    return value;
  }

  #field(key: string): KubeValue {
    const { located } = this;
    const found = located?.kind === 'map' ? entryOf(located, key)?.value : undefined;
    return new KubeValue(found, this.place, this, key);
  }

  /** The members of a list; none for anything else. */
  get items(): readonly KubeValue[] {
    const { located } = this;
    if (located?.kind !== 'list') return [];
    return located.items.map((item, index) => new KubeValue(item, this.place, this, String(index)));
  }

  /** The fields of a mapping; none for anything else. */
  get entries(): readonly (readonly [key: string, value: KubeValue])[] {
    const { located } = this;
    if (located?.kind !== 'map') return [];
    return located.entries.map(({ key, value }) => [key, new KubeValue(value, this.place, this, key)] as const);
  }

  get isMap(): boolean {
    return this.located?.kind === 'map';
  }

  /** As kubectl reads it; nothing for a mapping, a list or a field that is not there. */
  get scalar(): Exclude<Scalar, null> | undefined {
    const { located } = this;
    return located?.kind === 'scalar' ? (readScalar(located) ?? undefined) : undefined;
  }

  get text(): string | undefined {
    const { scalar } = this;
    return typeof scalar === 'string' ? scalar : undefined;
  }

  get number(): number | undefined {
    const { scalar } = this;
    return typeof scalar === 'number' ? scalar : undefined;
  }

  get boolean(): boolean | undefined {
    const { scalar } = this;
    return typeof scalar === 'boolean' ? scalar : undefined;
  }

  /** As it was written, whatever it means: for messages, and for what may be a number or a text. */
  get source(): string | undefined {
    return this.located?.kind === 'scalar' ? this.located.source : undefined;
  }

  /** The texts in a list. */
  get texts(): readonly string[] {
    return this.items.flatMap((item) => (item.source === undefined ? [] : [item.source]));
  }

  /** A mapping of single values, each as written. */
  get textMap(): ReadonlyMap<string, string> {
    return new Map(
      this.entries.flatMap(([key, value]) => (value.source === undefined ? [] : [[key, value.source] as const])),
    );
  }
}
