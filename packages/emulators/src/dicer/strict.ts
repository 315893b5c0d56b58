import type { DescEnum } from '@bufbuild/protobuf';
import type { ReflectMessage } from '@bufbuild/protobuf/reflect';
import { Code } from '@connectrpc/connect';
import { refused } from './refusals.js';

/**
 * Makes sure that everything in a request is known: a field or a value that is not would go unread.
 * @throws ConnectError `INVALID_ARGUMENT` naming it
 */
export function assertAllKnown(message: ReflectMessage): void {
  const [unknown] = message.getUnknown() ?? [];
  if (unknown) throw refused(Code.InvalidArgument, `${message.desc.name} has no field ${unknown.no}`);
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    switch (field.fieldKind) {
      case 'enum':
        assertKnownValue(field.enum, message.get(field));
        break;
      case 'message':
        assertAllKnown(message.get(field));
        break;
      case 'list':
        if (field.listKind === 'message') for (const item of message.get(field)) assertAllKnown(item as ReflectMessage);
        break;
      case 'map':
      case 'scalar':
        break;
    }
  }
}

function assertKnownValue(among: DescEnum, value: number): void {
  if (among.value[value] === undefined) throw refused(Code.InvalidArgument, `${among.name} has no value ${value}`);
}
