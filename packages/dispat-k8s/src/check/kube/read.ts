import { parseAll } from '@rungar/yaml-source';
import { intoInputProblems } from '../../dispat-config/values.js';
import { MOST_INPUT_BYTES, type NamedText } from '../../files.js';
import type { ProblemList } from '../../problems.js';
import { type Resource, resourceOf } from './resource.js';
import { KubeValue } from './value.js';

const MOST_DOCUMENTS = 5000;

/**
 * Reads Kubernetes objects the way kubectl does: a stream of YAML documents or JSON, lists taken apart, empty documents
 * left out.
 * @param source the text and what to call it
 * @param list takes everything wrong with it, each with its place
 */
export function readResources({ name, text }: NamedText, list: ProblemList): readonly Resource[] {
  const { documents, problems } = parseAll(text, {
    file: name,
    mostBytes: MOST_INPUT_BYTES,
    mostDocuments: MOST_DOCUMENTS,
  });
  const sink = intoInputProblems(list, name);
  for (const problem of problems) sink.add(problem);
  if (problems.length > 0) return [];
  return documents.flatMap((document) => objectsIn(new KubeValue(document, document.place), list));
}

function objectsIn(root: KubeValue, list: ProblemList): readonly Resource[] {
  if (!root.exists) return [];
  if (!root.isMap) {
    list.add({
      code: 'DOCUMENT_NOT_OBJECT',
      at: root.place.file,
      found: root.source === undefined ? 'a list' : 'a single value',
      allowed: 'Kubernetes objects: mappings with apiVersion and kind',
      fix: 'take the document out, or separate objects with ---',
      place: root.place,
    });
    return [];
  }
  const items = root.at('items');
  if (!/List$/.test(root.at('kind').text ?? '') || items.located?.kind !== 'list') return [resourceOf(root)];
  // An item begins a pointer of its own: it is an object by itself.
  return items.items.flatMap((item) => objectsIn(new KubeValue(item.located, item.place), list));
}
