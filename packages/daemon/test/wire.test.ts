import { readFile } from 'node:fs/promises';
import { type DescField, ScalarType } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { file_rungar_v1_rungar, RungarService } from '../gen/rungar/v1/rungar_pb.js';

interface Wire {
  readonly messages: Record<string, Record<string, string>>;
  readonly enums: Record<string, Record<string, number>>;
}

const wire = JSON.parse(await readFile(new URL('../fixtures/wire.json', import.meta.url), 'utf8')) as Wire;

const nameOf = (type: { name: string } | ScalarType): string =>
  typeof type === 'object' ? type.name : (ScalarType[type] ?? '').toLowerCase();

function describeField(field: DescField): string {
  switch (field.fieldKind) {
    case 'map':
      return `${field.number} map`;
    case 'list':
      return `${field.number} ${nameOf(field.message ?? field.enum ?? field.scalar)}…`;
    default:
      return `${field.number} ${nameOf(field.message ?? field.enum ?? field.scalar)}`;
  }
}

test('every message has the fields, numbers and types that clients of either kind rely on', () => {
  const ours = file_rungar_v1_rungar.messages.map((message) => [
    message.name,
    Object.fromEntries(message.fields.map((field) => [field.name, describeField(field)])),
  ]);
  expect(Object.fromEntries(ours)).toEqual(wire.messages);
});

test('every enum has the values that clients of either kind rely on', () => {
  const ours = file_rungar_v1_rungar.enums.map((one) => [
    one.name,
    Object.fromEntries(one.values.map((value) => [value.name, value.number])),
  ]);
  expect(Object.fromEntries(ours)).toEqual(wire.enums);
});

test('the service has the methods of the Go daemon, each answering with its type, and Reload, Plan and Explain', () => {
  expect(RungarService.typeName).toBe('rungar.v1.RungarService');
  const methods = RungarService.methods.map(({ name, input, output, methodKind }) => {
    expect(input.name).toBe(`${name}Request`);
    return [name, `${output.name}${methodKind === 'server_streaming' ? '…' : ''}`];
  });
  expect(Object.fromEntries(methods)).toEqual({
    GetStatus: 'DaemonStatus',
    ListScaleSets: 'ListScaleSetsResponse',
    GetScaleSet: 'ScaleSet',
    RemoveScaleSet: 'RemoveScaleSetResponse',
    Reconcile: 'ReconcileResponse',
    PauseScaleSet: 'ScaleSet',
    ResumeScaleSet: 'ScaleSet',
    ListProviders: 'ListProvidersResponse',
    GetProvider: 'Provider',
    DisableProvider: 'Provider',
    EnableProvider: 'Provider',
    ListRunners: 'ListRunnersResponse',
    RemoveRunner: 'Runner',
    ListEvents: 'ListEventsResponse…',
    Reload: 'ReloadResponse',
    Plan: 'PlanResponse',
    Explain: 'ExplainResponse',
  });
});

test('numbers that were once used stay unused', () => {
  const reserved = Object.fromEntries(
    [...file_rungar_v1_rungar.messages, ...file_rungar_v1_rungar.enums].map(({ name, proto }) => [
      name,
      proto.reservedRange.flatMap(({ start = 0, end = 0 }) => (end - start > 0 ? [start, end] : [start])),
    ]),
  );
  expect(reserved.DaemonStatus).toEqual([6, 7]);
  expect(reserved.Daemon).toEqual([4, 5]);
  expect(reserved.Provider).toEqual([9, 10, 10, 11, 11, 12, 15, 16]);
  expect(reserved.ProviderScaleSet).toEqual([2, 3, 3, 4, 5, 6, 6, 7]);
  expect(reserved.Runner).toEqual([7, 8]);
  // The end of a range is exclusive for a message and inclusive for an enum.
  expect(reserved.EventAction).toEqual([5, 7]);
});
