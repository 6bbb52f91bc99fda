import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type Message,
  ScalarType,
  toBinary,
  equals,
} from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { file_runtime_v1_api } from '../gen/runtime/v1/api_pb.js';
import { file_runtime_v1alpha2_api } from '../gen/runtime/v1alpha2/api_pb.js';
import { ContainerConfigSchema, ContainerEventResponseSchema, RuntimeServiceDescriptor } from './index.ts';
import { fromV1alpha2, toV1alpha2, v1alpha2Method, v1alpha2Schema } from './v1alpha2-conversion.ts';

/** Generates messages of a schema. Nested messages become rarer with depth, which also ends recursive types. */
function anyMessage(schema: DescMessage, depth = 0): fc.Arbitrary<Message> {
  const fields = Object.fromEntries(
    schema.fields
      .filter((field) => field.oneof === undefined)
      .map((field) => [field.localName, anyField(field, depth)]),
  );
  return fc.record(fields, { requiredKeys: [] }).map((init) => create(schema, init as never));
}

function anyField(field: DescField, depth: number): fc.Arbitrary<unknown> {
  switch (field.fieldKind) {
    case 'scalar':
      return anyScalar(field.scalar);
    case 'enum':
      return anyEnum(field.enum);
    case 'message':
      return anyNested(field.message, depth);
    case 'list': {
      const options = { maxLength: 2 };
      if (field.listKind === 'scalar') return fc.array(anyScalar(field.scalar), options);
      if (field.listKind === 'enum') return fc.array(anyEnum(field.enum), options);
      return depth > 5 ? fc.constant([]) : fc.array(anyMessage(field.message, depth + 1), options);
    }
    case 'map': {
      const value =
        field.mapKind === 'scalar'
          ? anyScalar(field.scalar)
          : field.mapKind === 'enum'
            ? anyEnum(field.enum)
            : anyMessage(field.message, depth + 1);
      return fc.dictionary(anyScalar(field.mapKey) as fc.Arbitrary<string>, value, {
        maxKeys: 2,
        noNullPrototype: true,
      });
    }
  }
}

function anyNested(schema: DescMessage, depth: number): fc.Arbitrary<unknown> {
  return depth > 5 ? fc.constant(undefined) : fc.option(anyMessage(schema, depth + 1), { nil: undefined });
}

function anyEnum({ values }: DescEnum): fc.Arbitrary<number> {
  return fc.constantFrom(...values.map(({ number }) => number));
}

function anyScalar(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return fc.string({ unit: 'binary', maxLength: 4 });
    case ScalarType.BYTES:
      // As `KeyValue.value`, which must be text in v1alpha2.
      return fc.string({ unit: 'binary', maxLength: 4 }).map((text) => new TextEncoder().encode(text));
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.INT64:
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case ScalarType.UINT64:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    case ScalarType.UINT32:
      return fc.nat();
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return fc.integer();
    default:
      return fc.integer();
  }
}

const v1Schemas = new Map(file_runtime_v1_api.messages.map((schema) => [schema.name, schema]));
const bothVersions = file_runtime_v1alpha2_api.messages.map((older): [string, DescMessage, DescMessage | undefined] => [
  older.name,
  older,
  v1Schemas.get(older.name),
]);

describe('messages of v1alpha2', () => {
  it.each(bothVersions)('%s survive a conversion to v1 and back', (_name, older, schema) => {
    expect(v1alpha2Schema(schema!)).toBe(older);
    fc.assert(
      fc.property(anyMessage(older), (message) => {
        const asV1 = fromV1alpha2(schema!, message);
        // v1 knows all of it.
        expect(asV1.$unknown).toBeUndefined();
        expect(equals(older, toV1alpha2(schema!, asV1), message)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it.each(bothVersions)('%s of v1 survive a conversion to v1alpha2 and back', (_name, _older, schema) => {
    fc.assert(
      fc.property(anyMessage(schema!), (message) => {
        const back = fromV1alpha2(schema!, toV1alpha2(schema!, message));
        expect(Buffer.from(toBinary(schema!, back)).equals(toBinary(schema!, message))).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it('carry the values of environment variables as text', () => {
    const value = new TextEncoder().encode('grün');
    const config = create(ContainerConfigSchema, { envs: [{ key: 'COLOUR', value }] });
    const older = toV1alpha2(ContainerConfigSchema, config);
    expect(older).toMatchObject({ envs: [{ key: 'COLOUR', value: 'grün' }] });
    expect(fromV1alpha2(ContainerConfigSchema, older).envs).toMatchObject([{ key: 'COLOUR', value }]);
  });

  it('lack the messages that were added later', () => {
    expect(v1alpha2Schema(ContainerEventResponseSchema)).toBeUndefined();
    expect(() => toV1alpha2(ContainerEventResponseSchema, create(ContainerEventResponseSchema))).toThrow(
      'v1alpha2 has no message ContainerEventResponse',
    );
  });
});

describe('methods of v1alpha2', () => {
  it('exist in v1 with the same messages', () => {
    const found = file_runtime_v1_api.services
      .flatMap(({ methods }) => methods)
      .flatMap((method) => {
        const older = v1alpha2Method(method);
        if (older === undefined) return [];
        expect(v1alpha2Schema(method.input)).toBe(older.input);
        expect(v1alpha2Schema(method.output)).toBe(older.output);
        expect(older.methodKind).toBe(method.methodKind);
        return [older];
      });
    expect(new Set(found)).toEqual(new Set(file_runtime_v1alpha2_api.services.flatMap(({ methods }) => methods)));
    expect(found).toHaveLength(29);
    expect(v1alpha2Method(RuntimeServiceDescriptor.method.getContainerEvents)).toBeUndefined();
  });
});
