export { nearest } from '@rungar/model';
export {
  MOST_BYTES,
  type ParseAllOptions,
  type ParsedSource,
  type ParsedStream,
  type ParseOptions,
  parse,
  parseAll,
} from './parse.js';
export { type KeyChange, type RewriteOptions, rewrite } from './rewrite.js';
