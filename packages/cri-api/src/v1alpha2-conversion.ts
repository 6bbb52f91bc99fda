import {
  type DescMessage,
  type DescMethod,
  fromBinary,
  type Message,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { file_runtime_v1_api } from '../gen/runtime/v1/api_pb.js';
import { file_runtime_v1alpha2_api } from '../gen/runtime/v1alpha2/api_pb.js';

/**
 * v1 is a copy of v1alpha2 with the same names, numbers and encoding, plus later additions. (The only different type, `KeyValue.value`, is `string` in one and
 * `bytes` in the other, which are encoded alike.) So messages are converted by their bytes.
 */

const V1ALPHA2_MESSAGES = new Map(file_runtime_v1alpha2_api.messages.map((schema) => [schema.name, schema]));
const V1ALPHA2_METHODS: ReadonlyMap<DescMethod, DescMethod> = new Map(
  file_runtime_v1_api.services.flatMap((service) => {
    const older = file_runtime_v1alpha2_api.services.find(({ name }) => name === service.name);
    return service.methods.flatMap((method): [DescMethod, DescMethod][] => {
      const olderMethod = older?.methods.find(({ name }) => name === method.name);
      return olderMethod === undefined ? [] : [[method, olderMethod]];
    });
  }),
);

/** Returns the method of v1alpha2 for a method of v1; `undefined` for later methods (`GetContainerEvents`, `RuntimeConfig`, the `Stream*`). */
export function v1alpha2Method(method: DescMethod): DescMethod | undefined {
  return V1ALPHA2_METHODS.get(method);
}

/** Returns the v1alpha2 schema for a v1 schema; `undefined` for later messages. */
export function v1alpha2Schema(schema: DescMessage): DescMessage | undefined {
  return V1ALPHA2_MESSAGES.get(schema.name);
}

/**
 * Converts a message of v1, described by `schema`, to v1alpha2. Later fields are kept as unknown fields, which a receiver of v1alpha2 ignores and {@link
 * fromV1alpha2} restores. A `KeyValue.value` that is not UTF-8 cannot be represented in v1alpha2: its bad bytes are replaced.
 *
 * @throws RangeError if v1alpha2 has no such message, see {@link v1alpha2Schema}
 */
export function toV1alpha2<S extends DescMessage>(schema: S, message: MessageShape<S>): Message {
  return fromBinary(olderSchema(schema), toBinary(schema, message));
}

/** Converts a message of v1alpha2 to the message of v1 that `schema` describes, without loss. */
export function fromV1alpha2<S extends DescMessage>(schema: S, message: Message): MessageShape<S> {
  return fromBinary(schema, toBinary(olderSchema(schema), message));
}

function olderSchema(schema: DescMessage): DescMessage {
  const older = v1alpha2Schema(schema);
  if (older === undefined) throw new RangeError(`v1alpha2 has no message ${schema.name}`);
  return older;
}
