export { type LogLine, recordingLogger, type RecordingLogger } from './recording-logger.ts';
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.ts';
