import { library } from '../../tools/tsup.ts';

export default library(
  [
    'src/index.ts',
    'src/aws/index.ts',
    'src/dicer/index.ts',
    'src/gcp/index.ts',
    'src/proxmox/index.ts',
    'src/testing/index.ts',
  ],
  { noExternal: [/^@(connectrpc|bufbuild)\//, '@rungar/dicer-api'] },
);
