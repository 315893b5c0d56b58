import { library } from '../../tools/tsup.ts';

export default library(['src/index.ts', 'src/client/index.ts'], { noExternal: [/^@(connectrpc|bufbuild)\//] });
