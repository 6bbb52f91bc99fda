import { errorMessage } from '@rxlet/component-base';
import { ProbeError, type ProbeRequest } from '../probe-runner.ts';

/**
 * Returns the host of a probe: its own, or the pod's IP.
 *
 * @throws ProbeError when the pod has no IP yet: an empty host would be the node itself
 */
export function probeHost(given: string | undefined, { podIp }: ProbeRequest): string {
  const host = given === undefined || given === '' ? podIp : given;
  if (host === undefined) throw new ProbeError('unknown', 'the pod has no IP');
  return host;
}

/** Runs `build`, whose errors, such as an unknown port name, become {@link ProbeError}s. */
export function orProbeError<T>(build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (error instanceof ProbeError) throw error;
    throw new ProbeError('unknown', errorMessage(error), { cause: error });
  }
}
