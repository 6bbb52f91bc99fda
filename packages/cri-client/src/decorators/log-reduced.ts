import { type Clock, errorMessage, type Logger } from '@rxlet/component-base';
import { callErrorCode, StatusCode } from '@rxlet/cri-api';
import { callTarget } from './call-target.ts';
import type { CriServices } from './cri-services.ts';
import { createLogReduction } from './log-reduction.ts';
import { observeCalls } from './observe-calls.ts';

/** Ports of {@link logReduced}. */
export interface LogReducedPorts {
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Options of {@link logReduced}. */
export interface LogReducedOptions {
  /** Time for which the same error is not logged again, in milliseconds; default a minute, as in the kubelet. */
  readonly intervalMs?: number | undefined;
}

/**
 * Logs failed calls. An error that equals the last one of the RPC for a container, sandbox, pod or image is logged once a minute, with the number of equal
 * errors in between as `suppressed`; a success resets this. Calls that their callers cancelled are not logged.
 */
export function logReduced(
  services: CriServices,
  ports: LogReducedPorts,
  options: LogReducedOptions = {},
): CriServices {
  const { logger, clock } = ports;
  const reduction = createLogReduction(clock, options.intervalMs ?? 60_000);
  return observeCalls(services, ({ method }) => (request) => {
    const target = callTarget(request);
    const key = `${method.name} ${target}`;
    return {
      ended(outcome) {
        if (outcome.kind !== 'failed') {
          reduction.clear(key);
          return;
        }
        const code = callErrorCode(outcome.error);
        if (code === StatusCode.Canceled) return;
        const error = errorMessage(outcome.error);
        const suppressed = reduction.admit(key, error);
        if (suppressed === undefined) return;
        logger.error(`${method.name} of the container runtime failed`, {
          error,
          ...(code === undefined ? {} : { code }),
          ...(target === '' ? {} : { target }),
          ...(suppressed === 0 ? {} : { suppressed }),
        });
      },
    };
  });
}
