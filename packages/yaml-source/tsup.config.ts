import { library } from '../../tools/tsup.ts';

export default library(['src/index.ts'], { platform: 'neutral', noExternal: ['yaml'] });
