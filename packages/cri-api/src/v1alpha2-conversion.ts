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
 * v1 began as a copy of v1alpha2: same names, same numbers, and to this day the same bytes for all that v1alpha2 has. (The one difference of types,
 * `KeyValue.value`, is `string` here and `bytes` there, which are encoded alike.) So a message becomes one of the other version by its bytes.
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

/** The method of v1alpha2 that a method of v1 was; `undefined` for those that came later (`GetContainerEvents`, `RuntimeConfig`, the `Stream*`). */
export function v1alpha2Method(method: DescMethod): DescMethod | undefined {
  return V1ALPHA2_METHODS.get(method);
}

/** The v1alpha2 schema of the message that a v1 schema describes; `undefined` for messages that came later. */
export function v1alpha2Schema(schema: DescMessage): DescMessage | undefined {
  return V1ALPHA2_MESSAGES.get(schema.name);
}

/**
 * A message of v1, described by `schema`, as one of v1alpha2. Fields that v1alpha2 does not know are kept as unknown fields, which a receiver of v1alpha2
 * ignores and which {@link fromV1alpha2} brings back. A `KeyValue.value` that is not UTF-8 cannot be said in v1alpha2: its bad bytes are replaced.
 *
 * @throws RangeError if v1alpha2 has no such message, see {@link v1alpha2Schema}
 */
export function toV1alpha2<S extends DescMessage>(schema: S, message: MessageShape<S>): Message {
  return fromBinary(olderSchema(schema), toBinary(schema, message));
}

/** A message of v1alpha2 as the one of v1 that `schema` describes: the other way round. Loses nothing. */
export function fromV1alpha2<S extends DescMessage>(schema: S, message: Message): MessageShape<S> {
  return fromBinary(schema, toBinary(olderSchema(schema), message));
}

function olderSchema(schema: DescMessage): DescMessage {
  const older = v1alpha2Schema(schema);
  if (older === undefined) throw new RangeError(`v1alpha2 has no message ${schema.name}`);
  return older;
}
