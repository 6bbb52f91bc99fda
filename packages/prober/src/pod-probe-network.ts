import type { Duplex } from 'node:stream';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { hostAndPort, HttpError } from '@rxlet/component-base/http';
import { StatusCode } from '@rxlet/cri-api';
import { DialError, type ProbeNetwork } from './network/probe-network.ts';
import { servingStatuses } from './probes/health-messages.ts';

/** Ports that simulated pods serve: the type of `network` of `@rxlet/fake-cri`. */
export interface SimulatedPorts {
  dial(ip: string, port: number): Promise<Duplex>;
  httpGet(
    ip: string,
    port: number,
    path: string,
    request: { readonly headers: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
  ): Promise<{ readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }>;
  /** Returns the name of the serving status; `undefined` for an unknown service. */
  grpcHealth(ip: string, port: number, service: string, signal?: AbortSignal): Promise<string | undefined>;
}

/** Creates a {@link ProbeNetwork} that reaches the pods of a simulated runtime in-process, so that probes run on a virtual clock. */
export function createPodProbeNetwork(ports: SimulatedPorts): ProbeNetwork {
  const refused = (hostname: string, port: number): string =>
    `dial tcp ${hostAndPort(hostname, port)}: connect: connection refused`;
  const dial: ProbeNetwork['dial'] = async (hostname, port) => {
    try {
      (await ports.dial(hostname, port)).destroy();
    } catch (cause) {
      throw new DialError(refused(hostname, port), { cause });
    }
  };
  return {
    dial,
    http: {
      async get({ hostname, port, path, hostHeader, headers }, { maxBodyBytes, signal }) {
        const sent = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
        const host = { host: hostHeader ?? hostAndPort(hostname, port) };
        try {
          const request = { headers: { ...sent, ...host }, ...(signal !== undefined && { signal }) };
          const { status, headers: received = {}, body = '' } = await ports.httpGet(hostname, port, path, request);
          const bytes = new TextEncoder().encode(body).subarray(0, maxBodyBytes);
          return { status, location: received['location'], body: bytes, bodyError: undefined };
        } catch (cause) {
          signal?.throwIfAborted();
          throw new HttpError('Transport', refused(hostname, port), { cause });
        }
      },
    },
    async connectGrpc(hostname, port, signal) {
      await dial(hostname, port, signal);
      return {
        async call({ message }, callSignal) {
          const service = decodeService(message);
          const status = await ports.grpcHealth(hostname, port, service, callSignal);
          if (status === undefined)
            return { code: StatusCode.NotFound, details: 'unknown service', message: undefined };
          return { code: StatusCode.Ok, details: '', message: Uint8Array.of(8, servingStatuses.indexOf(status)) };
        },
        [Symbol.dispose]: () => undefined,
      };
    },
  };
}

function decodeService(message: Uint8Array): string {
  const reader = new BinaryReader(message);
  if (reader.len === 0) return '';
  const [, type] = reader.tag();
  return type === WireType.LengthDelimited ? reader.string() : '';
}
