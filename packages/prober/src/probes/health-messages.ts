import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** Method of the gRPC health checking protocol. */
export const HEALTH_CHECK_PATH = '/grpc.health.v1.Health/Check';

/** Names of the serving states, by number. */
export const servingStatuses: readonly string[] = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** Encodes a `HealthCheckRequest { string service = 1; }`. */
export function encodeHealthCheckRequest(service: string): Uint8Array {
  const writer = new BinaryWriter();
  if (service !== '') writer.tag(1, WireType.LengthDelimited).string(service);
  return writer.finish();
}

/**
 * Returns the name of the status in a `HealthCheckResponse { ServingStatus status = 1; }`; the number when it has no name.
 *
 * @throws Error when the bytes are not a message
 */
export function decodeServingStatus(bytes: Uint8Array): string {
  const reader = new BinaryReader(bytes);
  let status = 0;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1 && type === WireType.Varint) status = reader.int32();
    else reader.skip(type, field);
  }
  return servingStatuses[status] ?? String(status);
}
