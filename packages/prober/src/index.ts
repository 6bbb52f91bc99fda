export { createProbeRunner, type ProbeRunnerOptions, type ProbeRunnerPorts } from './create-probe-runner.ts';
export { nodeNetwork } from './network/node-network.ts';
export {
  DialError,
  type GrpcConnection,
  type GrpcReply,
  type GrpcRequest,
  type ProbeNetwork,
} from './network/probe-network.ts';
export { ProbeError, type ProbeOutcome, type ProbeRequest, type ProbeRunner } from './probe-runner.ts';
export {
  countResult,
  newProbeState,
  type ProbeState,
  type ProbeStep,
  probeStep,
  type ProbeStepInput,
  type ResultChange,
} from './probe-step.ts';
export { type ProbeKind, type ProbeTarget, probeTargets, type ProbeTiming, probeTiming } from './probe-target.ts';
export { createProber, type Prober, type ProberOptions, type ProberPorts } from './prober.ts';
export { probes, type ProbesOptions } from './probes-module.ts';
