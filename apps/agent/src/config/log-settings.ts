import { parseGoDuration } from '@rxlet/component-base/go';
import type { KubeletConfiguration } from '@rxlet/kubelet-config';
import { quantityNumber } from '@rxlet/pod-model/quantity';
import type { LogSettings } from '../agent-log.ts';

/** Integers are nanoseconds, as in Go. */
const NANOS_PER_MS = 1e6;

/** Returns the settings of the log of a configuration that has been validated. */
export function logSettingsOf({ logging = {} }: Pick<KubeletConfiguration, 'logging'>): LogSettings {
  const { flushFrequency, verbosity, vmodule, options } = logging;
  const format = logging.format === 'json' ? 'json' : 'text';
  const { splitStream = false, infoBufferSize } = options?.[format] ?? {};
  const flushFrequencyMs =
    typeof flushFrequency === 'number' ? flushFrequency / NANOS_PER_MS : parseGoDuration(flushFrequency ?? '');
  return {
    format,
    verbosity: verbosity ?? 0,
    vmodule: vmodule ?? [],
    splitStream,
    infoBufferBytes: quantityNumber(infoBufferSize),
    ...(flushFrequencyMs !== undefined && { flushFrequencyMs }),
  };
}
