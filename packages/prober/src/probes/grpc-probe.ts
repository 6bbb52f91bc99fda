import { type Clock, DeadlineExceededError, sleep, withDeadline } from '@rxlet/component-base';
import { formatGoDuration, goQuote } from '@rxlet/component-base/go';
import { hostAndPort } from '@rxlet/component-base/http';
import { StatusCode, statusCodeName } from '@rxlet/cri-api';
import type { GRPCAction } from '@rxlet/kube-api';
import { DialError, type GrpcConnection, type GrpcReply, type ProbeNetwork } from '../network/probe-network.ts';
import type { ProbeOutcome, ProbeRequest } from '../probe-runner.ts';
import { decodeServingStatus, encodeHealthCheckRequest, HEALTH_CHECK_PATH } from './health-messages.ts';
import { probeHost } from './pod-address.ts';

/** Ports and settings of gRPC probes. */
export interface GrpcProbeContext {
  readonly network: ProbeNetwork;
  readonly clock: Clock;
  readonly userAgent: string;
}

/** Delay before the first retry of a failed connection. Further delays grow as in the back-off of gRPC. */
const FIRST_RETRY_MS = 1000;
const RETRY_FACTOR = 1.6;

/** Calls the gRPC health service of the pod, without TLS. The timeout covers connecting and the call; connecting is retried until then. */
export async function runGrpcProbe(
  { network, clock, userAgent }: GrpcProbeContext,
  probe: ProbeRequest,
  action: GRPCAction,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const hostname = probeHost(undefined, probe);
  const within = formatGoDuration(probe.timeoutMs);
  let connected = false;
  try {
    return await withDeadline(clock, probe.timeoutMs, signal, async (deadline) => {
      using connection = await connect(network, clock, hostname, action.port, deadline);
      connected = true;
      const message = encodeHealthCheckRequest(action.service ?? '');
      const reply = await connection.call({ path: HEALTH_CHECK_PATH, userAgent, message }, deadline);
      return healthOutcome(reply, within);
    });
  } catch (error) {
    if (!(error instanceof DeadlineExceededError)) throw error;
    const address = goQuote(hostAndPort(hostname, action.port));
    return connected
      ? failure(`timeout: health rpc did not complete within ${within}`)
      : failure(`timeout: failed to connect service ${address} within ${within}: context deadline exceeded`);
  }
}

async function connect(
  network: ProbeNetwork,
  clock: Clock,
  hostname: string,
  port: number,
  signal: AbortSignal,
): Promise<GrpcConnection> {
  for (let retryMs = FIRST_RETRY_MS; ; retryMs *= RETRY_FACTOR) {
    try {
      return await network.connectGrpc(hostname, port, signal);
    } catch (error) {
      if (!(error instanceof DialError)) throw error;
      await sleep(clock, retryMs, signal);
    }
  }
}

function healthOutcome({ code, details, message }: GrpcReply, within: string): ProbeOutcome {
  switch (code) {
    case StatusCode.Ok:
      break;
    case StatusCode.Unimplemented:
      return failure(
        `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${details}`,
      );
    case StatusCode.DeadlineExceeded:
      return failure(`timeout: health rpc did not complete within ${within}`);
    default:
      return failure(`error: health rpc probe failed: rpc error: code = ${statusCodeName(code)} desc = ${details}`);
  }
  let status: string;
  try {
    status = decodeServingStatus(message ?? new Uint8Array());
  } catch {
    return failure(
      'error: health rpc probe failed: rpc error: code = Internal desc = the response is not a health check response',
    );
  }
  return status === 'SERVING'
    ? { result: 'success', output: 'service healthy' }
    : failure(`service unhealthy (responded with ${goQuote(status)})`);
}

function failure(output: string): ProbeOutcome {
  return { result: 'failure', output };
}
