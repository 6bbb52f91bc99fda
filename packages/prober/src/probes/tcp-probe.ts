import { type Clock, DeadlineExceededError, withDeadline } from '@rxlet/component-base';
import { hostAndPort } from '@rxlet/component-base/http';
import type { TCPSocketAction } from '@rxlet/kube-api';
import { containerPort } from '@rxlet/pod-model';
import { DialError, type ProbeNetwork } from '../network/probe-network.ts';
import type { ProbeOutcome, ProbeRequest } from '../probe-runner.ts';
import { orProbeError, probeHost } from './pod-address.ts';

/** Opens a TCP connection, which is a success. */
export async function runTcpProbe(
  { network, clock }: { readonly network: ProbeNetwork; readonly clock: Clock },
  probe: ProbeRequest,
  action: TCPSocketAction,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const port = orProbeError(() => containerPort(action.port, probe.container));
  const hostname = probeHost(action.host, probe);
  try {
    await withDeadline(clock, probe.timeoutMs, signal, (deadline) => network.dial(hostname, port, deadline));
    return { result: 'success', output: '' };
  } catch (error) {
    if (error instanceof DialError) return { result: 'failure', output: error.message };
    if (!(error instanceof DeadlineExceededError)) throw error;
    return { result: 'failure', output: `dial tcp ${hostAndPort(hostname, port)}: i/o timeout` };
  }
}
