import { RungarError } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import {
  asRungarError,
  isRefused,
  PveError,
  refusalOf,
  saysFull,
  saysGone,
  saysLocalStorage,
  saysLocked,
  saysNoLinkedClone,
  saysStillRunning,
  saysTaken,
  saysVmNotRunning,
} from './errors.js';

const refused = (text: string): PveError => new PveError('refused', text, { status: 500 });
const gone = (error: unknown): boolean => saysGone(error, 105);

describe('what the texts of Proxmox VE say', () => {
  test.each<[string, (error: unknown) => boolean, string[]]>([
    ['taken', saysTaken, ['unable to create VM 105: config file already exists']],
    ['on local storage', saysLocalStorage, ["can't clone VM to node 'pve2' (VM uses local storage)"]],
    ['without linked clones', saysNoLinkedClone, ["Linked clone feature is not supported for drive 'scsi0'"]],
    [
      'locked',
      saysLocked,
      [
        "clone failed: can't lock file '/var/lock/pve-manager/pve-storage-ceph' - got timeout",
        'VM is locked (clone)',
        'trying to acquire cfs lock ... got timeout',
      ],
    ],
    [
      'gone',
      gone,
      [
        "Configuration file 'nodes/pve1/qemu-server/105.conf' does not exist",
        'no such vm (105)',
        'VM 105 does not exist',
      ],
    ],
    ['not running', saysVmNotRunning, ['VM 105 not running', 'VM 105 is not running']],
    ['still running', saysStillRunning, ['VM 105 is running - destroy failed']],
    [
      'full',
      saysFull,
      [
        'clone failed: write error: No space left on device',
        'not enough space',
        'Out of memory',
        "cannot set up guest memory 'pc.ram': Cannot allocate memory",
        'Not enough memory',
      ],
    ],
  ])('%s', (_, says, texts) => {
    for (const text of texts) expect(says(refused(text)), text).toBe(true);
  });

  test('a VM is not gone because something else is not there', () => {
    for (const text of [
      "storage 'local-lvm' does not exist",
      "node 'pve2' does not exist",
      "Configuration file 'nodes/pve1/qemu-server/1105.conf' does not exist",
      "Configuration file 'nodes/pve1/qemu-server/1050.conf' does not exist",
      'VM 1050 does not exist',
    ]) {
      expect(gone(refused(text)), text).toBe(false);
    }
  });

  test('a guest agent that does not run says nothing of the VM', () => {
    expect(saysVmNotRunning(refused('QEMU guest agent is not running'))).toBe(false);
  });

  test('what no node answered is not taken for its words', () => {
    expect(gone(new PveError('unanswered', 'VM 105 does not exist'))).toBe(false);
    expect(saysTaken(new Error('already exists'))).toBe(false);
  });
});

test.each([
  [401, 'unauthorised'],
  [403, 'unauthorised'],
  [400, 'refused'],
  [500, 'refused'],
  [501, 'refused'],
  [502, 'unreachable'],
  [503, 'unreachable'],
  [595, 'unreachable'],
  [596, 'unreachable'],
])('status %i is %s', (status, want) => expect(refusalOf(status)).toBe(want));

test.each([
  ['unsent', 'unavailable'],
  ['unanswered', 'unavailable'],
  ['unreachable', 'unavailable'],
  ['unauthorised', 'internal'],
  ['refused', 'internal'],
] as const)('an error that is %s has the code %s, and its cause', (refusal, code) => {
  const error = new PveError(refusal, 'words', { hint: 'do this' });
  expect(asRungarError(error)).toMatchObject({ code, message: 'words', hint: 'do this', cause: error });
});

test.each([
  ['unsent', true],
  ['unanswered', false],
  ['unreachable', false],
  ['unauthorised', true],
  ['refused', true],
] as const)('a call that is %s has surely changed nothing: %s', (refusal, want) => {
  expect(isRefused(new PveError(refusal, 'words'))).toBe(want);
  expect(isRefused(new Error('words'))).toBe(false);
});

test('an error of ours stays as it is', () => {
  const error = new RungarError('busy', 'x');
  expect(asRungarError(error)).toBe(error);
});
