import {
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import { base64Encode } from '@bufbuild/protobuf/wire';
import { KeyValueSchema } from '@rxlet/cri-api';

/** Replacement of a secret. */
export const REDACTED = '[redacted]';
/** Replacement of a secret of type bytes. */
const REDACTED_BYTES = base64Encode(new TextEncoder().encode(REDACTED));

/**
 * Formats a message as protobuf JSON, int64 as strings and bytes as base64, without its secrets: the fields that the proto file marks with `debug_redact`
 * (passwords and tokens of an `AuthConfig`) and the values of environment variables.
 * @throws Error when the message cannot be encoded
 */
export function toRedactedJson(descriptor: DescMessage, message: Message): JsonObject {
  const json = toJson(descriptor, message) as JsonObject;
  redact(descriptor, json);
  return json;
}

function redact(descriptor: DescMessage, json: JsonObject): void {
  for (const field of descriptor.fields) {
    const value = json[field.jsonName];
    if (value === undefined) continue;
    const isSecret =
      field.proto.options?.debugRedact === true ||
      (descriptor.typeName === KeyValueSchema.typeName && field.name === 'value');
    if (isSecret) {
      if (field.scalar === ScalarType.STRING && field.fieldKind === 'scalar') json[field.jsonName] = REDACTED;
      else if (field.scalar === ScalarType.BYTES && field.fieldKind === 'scalar') json[field.jsonName] = REDACTED_BYTES;
      else delete json[field.jsonName];
    } else if (field.message !== undefined) {
      for (const part of partsOf(field.fieldKind, value)) redact(field.message, part as JsonObject);
    }
  }
}

function partsOf(kind: string, value: JsonValue): readonly JsonValue[] {
  if (kind === 'list') return value as JsonValue[];
  return kind === 'map' ? Object.values(value as JsonObject) : [value];
}
