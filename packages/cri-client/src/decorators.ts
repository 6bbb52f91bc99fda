export type { CriServices, RpcName } from './decorators/cri-services.ts';
export {
  faultInjecting,
  type FaultInjectingOptions,
  type FaultInjectingPorts,
  type FaultSource,
} from './decorators/fault-injecting.ts';
export { instrumented, type InstrumentedPorts } from './decorators/instrumented.ts';
export { logReduced, type LogReducedOptions, type LogReducedPorts } from './decorators/log-reduced.ts';
export { recording, type RecordingPorts } from './decorators/recording.ts';
export {
  type RecordedError,
  RecordingError,
  type RecordingErrorReason,
  type RecordingHeader,
  type RecordingLine,
} from './decorators/recording-format.ts';
export { ReplayError, type ReplayErrorReason, replaying } from './decorators/replaying.ts';
export { traced, type TracedPorts } from './decorators/traced.ts';
