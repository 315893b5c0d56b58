import { missingParameter } from '../errors.js';
import { readTags } from '../tags.js';
import { element } from '../xml.js';
import type { Action } from './action.js';

/** Adds tags to instances and volumes, or changes the values of those they have. */
export const createTags: Action = (params, { fleet }) => {
  const ids = params.list('ResourceId');
  if (ids.length === 0) throw missingParameter('ResourceId');
  const tags = readTags(params);
  if (tags.size === 0) throw missingParameter('Tag');

  return () => {
    fleet.tag(ids, tags);
    return [element('return', true)];
  };
};
