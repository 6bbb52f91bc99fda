import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ResourceType } from '../resource-type.ts';
import { type Schema, schemasOf } from './schemas.ts';

/** Media type of {@link openApiV2}: `openapi.v2.Document` of gnostic. Clients read no other. */
export const OPENAPI_V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** Field numbers of gnostic's messages. */
const Document = { swagger: 1, info: 2, paths: 8, definitions: 9 } as const;
const SchemaField = {
  ref: 1,
  format: 2,
  required: 19,
  additionalProperties: 21,
  type: 22,
  items: 23,
  properties: 25,
  extension: 31,
} as const;

/** Returns the schemas of resources as a document of OpenAPI 2, by which older versions of `kubectl` validate objects. It has no paths. */
export function openApiV2(types: readonly ResourceType[], gitVersion: string): Uint8Array {
  const writer = new BinaryWriter();
  text(writer, Document.swagger, '2.0');
  message(writer, Document.info, () => {
    text(writer, 1, 'Kubernetes');
    text(writer, 2, gitVersion);
  });
  message(writer, Document.paths, () => undefined);
  message(writer, Document.definitions, () => writeNamed(writer, 1, schemasOf(types, '#/definitions/')));
  return writer.finish();
}

function writeSchema(writer: BinaryWriter, schema: Schema): void {
  const { $ref, format, required = [], additionalProperties, type, items, properties } = schema;
  if ($ref !== undefined) text(writer, SchemaField.ref, $ref);
  if (format !== undefined) text(writer, SchemaField.format, format);
  for (const name of required) text(writer, SchemaField.required, name);
  if (additionalProperties !== undefined) {
    message(writer, SchemaField.additionalProperties, () => {
      message(writer, 1, () => writeSchema(writer, additionalProperties));
    });
  }
  if (type !== undefined) message(writer, SchemaField.type, () => text(writer, 1, type));
  if (items !== undefined) {
    message(writer, SchemaField.items, () => message(writer, 1, () => writeSchema(writer, items)));
  }
  if (properties !== undefined) {
    message(writer, SchemaField.properties, () => writeNamed(writer, 1, properties));
  }
  for (const [name, value] of Object.entries(schema)) {
    if (!name.startsWith('x-')) continue;
    message(writer, SchemaField.extension, () => {
      text(writer, 1, name);
      // A value in YAML, of which JSON is a part.
      message(writer, 2, () => text(writer, 2, JSON.stringify(value)));
    });
  }
}

function writeNamed(writer: BinaryWriter, number: number, schemas: Readonly<Record<string, Schema>>): void {
  for (const [name, schema] of Object.entries(schemas)) {
    message(writer, number, () => {
      text(writer, 1, name);
      message(writer, 2, () => writeSchema(writer, schema));
    });
  }
}

function text(writer: BinaryWriter, number: number, value: string): void {
  writer.tag(number, WireType.LengthDelimited).string(value);
}

function message(writer: BinaryWriter, number: number, write: () => void): void {
  writer.tag(number, WireType.LengthDelimited).fork();
  write();
  writer.join();
}
