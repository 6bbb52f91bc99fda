import { isZeroQuantity, parseQuantity } from '@rxlet/pod-model/quantity';
import type { FeatureGates, LoggingConfiguration } from '@rxlet/component-base/kubelet-configuration';
import type { ProblemReport } from './problem-report.ts';

const MAX_VERBOSITY = 2 ** 31 - 1;

function isNotPositive(duration: string | number): boolean {
  return typeof duration === 'number' ? duration <= 0 : duration === '0s' || duration.startsWith('-');
}

/** Validates the configuration of the log. */
export function validateLogging(logging: LoggingConfiguration, gates: FeatureGates, report: ProblemReport): void {
  const invalid = (path: string, message: string): void => report([`logging.${path}`], `logging.${path}: ${message}`);
  const { format = '', flushFrequency = 0, verbosity = 0, vmodule = [], options = {} } = logging;
  if (isNotPositive(flushFrequency)) invalid('flushFrequency', 'must be greater than zero');
  if (format !== 'text' && format !== 'json') invalid('format', `unsupported log format "${format}"`);
  if (verbosity > MAX_VERBOSITY) invalid('verbosity', `must be at most ${String(MAX_VERBOSITY)}`);
  if (vmodule.length > 0 && format !== '' && format !== 'text') invalid('vmodule', 'requires the log format text');
  for (const [index, { filePattern = '', verbosity: level = 0 }] of vmodule.entries()) {
    const invalidItem = (message: string): void =>
      report(['logging.vmodule'], `logging.vmodule[${String(index)}]: ${message}`);
    if (filePattern === '') invalidItem('filePattern must not be empty');
    if (/[=,]/.test(filePattern)) invalidItem('filePattern must not contain equal sign or comma');
    if (level > MAX_VERBOSITY) invalidItem(`verbosity must be at most ${String(MAX_VERBOSITY)}`);
  }
  if (gates.isEnabled('LoggingAlphaOptions')) return;
  for (const output of ['text', 'json'] as const) {
    const { splitStream, infoBufferSize = '0' } = options[output] ?? {};
    if (splitStream === true) invalid(`options.${output}.splitStream`, 'requires feature gate LoggingAlphaOptions');
    if (!isZeroQuantity(parseQuantity(infoBufferSize)))
      invalid(`options.${output}.infoBufferSize`, 'requires feature gate LoggingAlphaOptions');
  }
}
