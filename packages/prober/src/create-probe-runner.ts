import type { Clock } from '@rxlet/component-base';
import type { RuntimeService } from '@rxlet/cri-api';
import { formatPod } from '@rxlet/pod-model';
import { nodeNetwork } from './network/node-network.ts';
import type { ProbeNetwork } from './network/probe-network.ts';
import { ProbeError, type ProbeRunner } from './probe-runner.ts';
import { runExecProbe } from './probes/exec-probe.ts';
import { runGrpcProbe } from './probes/grpc-probe.ts';
import { runHttpProbe } from './probes/http-probe.ts';
import { runTcpProbe } from './probes/tcp-probe.ts';

/** Ports of {@link createProbeRunner}. */
export interface ProbeRunnerPorts {
  readonly runtime: Pick<RuntimeService, 'execSync'>;
  readonly clock: Clock;
  /** Default: real sockets. */
  readonly network?: ProbeNetwork;
}

/** Options of {@link createProbeRunner}. */
export interface ProbeRunnerOptions {
  /** Kubernetes version of `User-Agent: kube-probe/<version>`, as `<major>.<minor>`. Default: 1.36. */
  readonly kubernetesVersion?: string;
}

/** Creates the {@link ProbeRunner} for `exec`, `httpGet`, `tcpSocket` and `grpc` probes. It has no state between runs. */
export function createProbeRunner(ports: ProbeRunnerPorts, options: ProbeRunnerOptions = {}): ProbeRunner {
  const { runtime, clock, network = nodeNetwork } = ports;
  const userAgent = `kube-probe/${options.kubernetesVersion ?? '1.36'}`;
  const context = { network, http: network.http, clock, userAgent };
  return {
    async run(request, signal) {
      signal.throwIfAborted();
      const { exec, httpGet, tcpSocket, grpc } = request.probe;
      if (exec !== undefined) return runExecProbe(runtime, request, exec, signal);
      if (httpGet !== undefined) return runHttpProbe(context, request, httpGet, signal);
      if (tcpSocket !== undefined) return runTcpProbe(context, request, tcpSocket, signal);
      if (grpc !== undefined) return runGrpcProbe(context, request, grpc, signal);
      throw new ProbeError('unknown', `missing probe handler for ${formatPod(request.pod)}:${request.container.name}`);
    },
  };
}
