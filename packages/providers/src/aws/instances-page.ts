import type { Instance, Tag } from '@aws-sdk/client-ec2';
import { XmlReader } from './xml-reader.js';

/** What a provider reads of an instance: a small part of what EC2 says. */
export type SeenInstance = Pick<
  Instance,
  'InstanceId' | 'InstanceType' | 'LaunchTime' | 'State' | 'StateReason' | 'StateTransitionReason' | 'Tags'
>;

/** One page of an answer to `DescribeInstances`. */
export interface InstancesPage {
  readonly instances: readonly SeenInstance[];
  /** The account the instances belong to; absent when there are none. */
  readonly ownerId?: string;
  readonly nextToken?: string;
}

type Changeable<T> = { -readonly [K in keyof T]: T[K] };
type State = NonNullable<Instance['State']>;

/**
 * Reads a page for the fields a provider uses, as the SDK would read them. A page is some megabytes of which these
 * are a tenth, and the SDK makes objects of the whole.
 * @returns nothing when `xml` is not such an answer, or not the whole of one
 */
export function readInstancesPage(xml: string): InstancesPage | undefined {
  return readWhole(xml, 'DescribeInstancesResponse', readResponse);
}

/**
 * Reads the answer to `RunInstances` in the same way: the instances it started.
 * @returns nothing when `xml` is not such an answer, or not the whole of one
 */
export function readStartedInstances(xml: string): readonly SeenInstance[] | undefined {
  return readWhole(xml, 'RunInstancesResponse', (reader) => {
    const instances: SeenInstance[] = [];
    readReservation(reader, instances);
    return instances;
  });
}

function readWhole<T>(xml: string, root: string, read: (reader: XmlReader) => T): T | undefined {
  try {
    const reader = new XmlReader(xml);
    return reader.child() === root ? read(reader) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A proxy's empty page has no list of reservations: that is not a list of nothing. */
function readResponse(reader: XmlReader): InstancesPage | undefined {
  const instances: SeenInstance[] = [];
  const more: { ownerId?: string; nextToken?: string } = {};
  let isListing = false;
  eachChild(reader, (name) => {
    if (name === 'reservationSet') {
      isListing = true;
      eachItem(reader, () => {
        const ownerId = readReservation(reader, instances);
        if (ownerId !== undefined) more.ownerId = ownerId;
      });
    } else if (name === 'nextToken') {
      const nextToken = reader.text();
      if (nextToken !== '') more.nextToken = nextToken;
    } else reader.skip();
  });
  return isListing ? { instances, ...more } : undefined;
}

function readReservation(reader: XmlReader, into: SeenInstance[]): string | undefined {
  let ownerId: string | undefined;
  eachChild(reader, (name) => {
    if (name === 'ownerId') ownerId = reader.text();
    else if (name === 'instancesSet') eachItem(reader, () => into.push(readInstance(reader)));
    else reader.skip();
  });
  return ownerId;
}

function readInstance(reader: XmlReader): SeenInstance {
  const instance: Changeable<SeenInstance> = {};
  eachChild(reader, (name) => {
    switch (name) {
      case 'instanceId':
        instance.InstanceId = reader.text();
        break;
      case 'instanceState':
        instance.State = { Name: readMember(reader, 'name') as State['Name'] };
        break;
      case 'reason':
        instance.StateTransitionReason = reader.text();
        break;
      case 'instanceType':
        instance.InstanceType = reader.text() as NonNullable<Instance['InstanceType']>;
        break;
      case 'launchTime':
        instance.LaunchTime = new Date(reader.text());
        break;
      case 'stateReason':
        instance.StateReason = { Message: readMember(reader, 'message') };
        break;
      case 'tagSet':
        instance.Tags = readTags(reader);
        break;
      default:
        reader.skip();
    }
  });
  return instance;
}

function readTags(reader: XmlReader): Tag[] {
  const tags: Tag[] = [];
  eachItem(reader, () => {
    const tag: Tag = {};
    eachChild(reader, (name) => {
      if (name === 'key') tag.Key = reader.text();
      else if (name === 'value') tag.Value = reader.text();
      else reader.skip();
    });
    tags.push(tag);
  });
  return tags;
}

/** One member of a structure, the others passed over. */
function readMember(reader: XmlReader, wanted: string): string | undefined {
  let text: string | undefined;
  eachChild(reader, (name) => {
    if (name === wanted) text = reader.text();
    else reader.skip();
  });
  return text;
}

function eachItem(reader: XmlReader, read: () => void): void {
  eachChild(reader, (name) => {
    if (name === 'item') read();
    else reader.skip();
  });
}

function eachChild(reader: XmlReader, read: (name: string) => void): void {
  for (let name = reader.child(); name !== undefined; name = reader.child()) read(name);
}
