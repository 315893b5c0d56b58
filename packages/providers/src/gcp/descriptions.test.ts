import { describe, expect, test } from 'vitest';
import { onlyService } from './descriptions.js';

const empty = { fields: {} };
const v1 = {
  Instances: {
    methods: {
      Get: { requestType: 'GetInstanceRequest', responseType: 'Instance' },
      Insert: { requestType: 'InsertInstanceRequest', responseType: 'Operation' },
    },
  },
  Zones: { methods: { Get: { requestType: 'GetZoneRequest', responseType: 'Zone' } } },
  GetInstanceRequest: { fields: { instance: { type: 'string', id: 1 } } },
  InsertInstanceRequest: { fields: { instanceResource: { type: 'Instance', id: 1 } } },
  Instance: {
    fields: {
      disks: { rule: 'repeated', type: 'AttachedDisk', id: 1 },
      labels: { keyType: 'string', type: 'Tag', id: 2 },
    },
    nested: { Inner: { fields: { shape: { type: 'Shape', id: 1 } } } },
  },
  AttachedDisk: { fields: { instance: { type: 'Instance', id: 1 }, mode: { type: 'DiskMode.Kind', id: 2 } } },
  DiskMode: { nested: { Kind: { values: { READ_ONLY: 1 } } } },
  Tag: empty,
  Shape: empty,
  Operation: { fields: { detail: { type: 'google.protobuf.Any', id: 1 } } },
  GetZoneRequest: empty,
  Zone: empty,
};
const protobuf = { nested: { Any: empty } };

function descriptions(versions: object): object {
  return {
    nested: { google: { nested: { protobuf, cloud: { nested: { compute: { options: {}, nested: versions } } } } } },
  };
}

describe('the descriptions of one service', () => {
  test('are those of every message its calls come to, and of no other', () => {
    const { Zones, GetZoneRequest, Zone, ...reached } = v1;
    const all = descriptions({ v1: { options: { a: 1 }, nested: v1 }, v1beta: { nested: v1 } });
    expect(onlyService(all, 'Instances')).toEqual(descriptions({ v1: { options: { a: 1 }, nested: reached } }));
    expect(onlyService(all, 'Zones')).toEqual(
      descriptions({ v1: { options: { a: 1 }, nested: { Zones, GetZoneRequest, Zone } } }),
    );
  });

  test.each([
    ['no such service', descriptions({ v1: { nested: { Zone: empty } } })],
    ['another version', descriptions({ v2: { nested: v1 } })],
    ['another place', { nested: { compute: { nested: v1 } } }],
    ['nothing in them', {}],
  ])('are all there are, with %s', (_, all) => {
    expect(onlyService(all, 'Instances')).toEqual(all);
  });
});
