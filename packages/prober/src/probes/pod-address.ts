import { ProbeError, type ProbeRequest } from '../probe-runner.ts';

/**
 * The host that a probe connects to: the one it names, else the pod's IP.
 * @throws ProbeError when the pod has none yet: an empty host would be the node itself
 */
export function probeHost(given: string | undefined, { podIp }: ProbeRequest): string {
  const host = given === undefined || given === '' ? podIp : given;
  if (host === undefined) throw new ProbeError('unknown', 'the pod has no IP');
  return host;
}

/** Runs what fails for bad input, such as the name of a port that does not exist, as a part of a probe. */
export function orProbeError<T>(build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (error instanceof ProbeError) throw error;
    throw new ProbeError('unknown', (error as Error).message, { cause: error });
  }
}
