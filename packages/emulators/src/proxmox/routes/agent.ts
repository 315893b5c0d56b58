import { failed } from '../errors.js';
import { type Call, majorOf, type Operation, vmidOf, vmPaths } from '../operation.js';
import type { Vm } from '../vm.js';

const AGENT_PATH = '/nodes/:node/qemu/:vmid/agent';
const LONGEST_CONTENT = 60 * 1024;

/** A VM whose agent answers. Before Proxmox VE 9 one privilege was for all of it. */
function answeringVm(call: Call, privilege: string): Vm {
  const vm = call.cluster.vmOn(call.path.node ?? '', vmidOf(call));
  const isOld = majorOf(call) < 9;
  call.caller.require(vmPaths(vm.vmid, vm.pool), isOld ? 'VM.Monitor' : privilege);
  call.cluster.requireAgent(vm);
  return vm;
}

const ping: Operation = {
  name: 'ping',
  method: 'POST',
  path: `${AGENT_PATH}/ping`,
  run(call) {
    call.input.check();
    answeringVm(call, 'VM.GuestAgent.Audit');
    return { result: {} };
  },
};

const fileWrite: Operation = {
  name: 'file_write',
  method: 'POST',
  path: `${AGENT_PATH}/file-write`,
  run(call) {
    const { input, cluster } = call;
    const file = input.required('file');
    const content = input.text('content', { max: LONGEST_CONTENT });
    const encode = input.boolean('encode') ?? true;
    if (content === undefined) input.required('content');
    input.check();
    const vm = answeringVm(call, 'VM.GuestAgent.FileWrite');
    cluster.writeFile(vm, file, encode ? (content ?? '') : Buffer.from(content ?? '', 'base64').toString('utf8'));
    return null;
  },
};

const fileRead: Operation = {
  name: 'file_read',
  method: 'GET',
  path: `${AGENT_PATH}/file-read`,
  query: ['file'],
  run(call) {
    const file = call.input.required('file');
    call.input.check();
    const content = answeringVm(call, 'VM.GuestAgent.FileRead').files.get(file);
    if (content === undefined)
      throw failed(`Agent error: failed to open file '${file}' (mode: 'r'): No such file or directory`);
    return { content, 'bytes-read': Buffer.byteLength(content) };
  },
};

/** What is asked of a VM's guest agent. */
export const agentOperations: readonly Operation[] = [ping, fileWrite, fileRead];
