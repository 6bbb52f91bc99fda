import type { MessageInitShape } from '@bufbuild/protobuf';
import type { NetworkUsageSchema } from '@rxlet/cri-api';

const DEFAULT_INTERFACE = 'eth0';
const RX_BYTES = 0;
const RX_ERRORS = 2;
const TX_BYTES = 8;
const TX_ERRORS = 10;

/** Returns the use of the interfaces in the text of `/proc/<pid>/net/dev`, without the loopback interface. */
export function networkUsage(text: string, timestamp: bigint): MessageInitShape<typeof NetworkUsageSchema> {
  const interfaces = text.split('\n').flatMap((line) => {
    const [, name, counters] = /^\s*([^\s:]+):\s*(\d[\d\s]*)$/.exec(line) ?? [];
    if (name === undefined || name === 'lo') return [];
    const values = counters!.trim().split(/\s+/).map(BigInt);
    const at = (index: number): { value: bigint } => ({ value: values[index] ?? 0n });
    return [{ name, rxBytes: at(RX_BYTES), rxErrors: at(RX_ERRORS), txBytes: at(TX_BYTES), txErrors: at(TX_ERRORS) }];
  });
  const first = interfaces.find(({ name }) => name === DEFAULT_INTERFACE) ?? interfaces[0];
  return {
    timestamp,
    interfaces: interfaces.filter((other) => other !== first),
    ...(first && { defaultInterface: first }),
  };
}
