export { nearest } from '@rungar/model';
export { MOST_BYTES, type ParsedSource, type ParseOptions, parse } from './parse.js';
