export type { DicerAddress, DicerMount, DicerRunner, DicerSettings, DicerTls } from './settings.js';
export { dicerType, openDicer } from './type.js';
