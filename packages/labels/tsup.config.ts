import { library } from '../../tools/tsup.ts';

// The types taken from the model are written into ours: who uses this package needs nothing else.
export default library(['src/index.ts'], { dts: { entry: { index: 'src/index.ts' }, resolve: ['@rungar/model'] } });
