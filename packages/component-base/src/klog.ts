export { createKlogLogger, type KlogLogger, type KlogOptions, type KlogPorts } from './klog/klog-logger.ts';
export type { LogEntry } from './klog/log-entry.ts';
export { createLogOutput, type LogOutput, type LogOutputOptions, type LogOutputPorts } from './klog/log-output.ts';
export type { VerbosityPattern } from './klog/vmodule.ts';
