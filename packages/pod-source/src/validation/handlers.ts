import type { Lifecycle, LifecycleHandler, PodSpec, Probe } from '@rxlet/kube-api';
import { checkHeaderName, checkPortName, checkPortNumber } from '@rxlet/pod-model/validation';
import type { Report } from '@rxlet/pod-model/validation';
import { validateStopSignal } from './stop-signal.ts';

type Handler = LifecycleHandler & Pick<Probe, 'grpc'>;

/** Checks the hooks and the stop signal of a container. */
export function validateLifecycle(lifecycle: Lifecycle, pod: PodSpec, at: string, report: Report): void {
  const graceSeconds = pod.terminationGracePeriodSeconds ?? 0;
  const { postStart, preStop, stopSignal } = lifecycle;
  if (postStart) validateHandler(postStart, graceSeconds, `${at}.postStart`, report);
  if (preStop) validateHandler(preStop, graceSeconds, `${at}.preStop`, report);
  if (stopSignal !== undefined) validateStopSignal(stopSignal, pod, `${at}.stopSignal`, report);
}

/** Checks a probe. Only a readiness probe may need several successes, and only the others kill the container. */
export function validateProbe(
  kind: 'livenessProbe' | 'readinessProbe' | 'startupProbe',
  probe: Probe,
  graceSeconds: number,
  container: string,
  report: Report,
): void {
  const at = `${container}.${kind}`;
  validateHandler(probe, graceSeconds, at, report);
  for (const field of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const) {
    if ((probe[field] ?? 0) < 0) report.add(`${at}.${field}`, `${String(probe[field])} is negative`);
  }
  const { terminationGracePeriodSeconds } = probe;
  if (terminationGracePeriodSeconds !== undefined && terminationGracePeriodSeconds <= 0) {
    report.add(`${at}.terminationGracePeriodSeconds`, `${String(terminationGracePeriodSeconds)} is not greater than 0`);
  }
  if (kind === 'readinessProbe') {
    if (terminationGracePeriodSeconds !== undefined) {
      report.add(`${at}.terminationGracePeriodSeconds`, 'must not be set for a readinessProbe, which kills nothing');
    }
  } else if (probe.successThreshold !== undefined && probe.successThreshold !== 1) {
    report.add(`${at}.successThreshold`, `${String(probe.successThreshold)} is not 1`);
  }
}

function validateHandler(handler: Handler, graceSeconds: number, at: string, report: Report): void {
  let handlers = 0;
  const take = (name: string, validate: (field: string) => void): void => {
    handlers += 1;
    if (handlers > 1) report.forbidden(`${at}.${name}`, 'is a second handler; there may be one');
    else validate(`${at}.${name}`);
  };
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (exec) take('exec', (field) => exec.command?.length || report.required(`${field}.command`));
  if (httpGet) {
    take('httpGet', (field) => {
      if (!httpGet.path) report.required(`${field}.path`);
      validatePort(httpGet.port, `${field}.port`, report);
      report.oneOf(`${field}.scheme`, httpGet.scheme, ['HTTP', 'HTTPS']);
      for (const { name } of httpGet.httpHeaders ?? [])
        report.check(`${field}.httpHeaders`, checkHeaderName(name ?? ''));
    });
  }
  if (tcpSocket) take('tcpSocket', (field) => validatePort(tcpSocket.port, `${field}.port`, report));
  if (grpc) take('grpc', (field) => validatePort(grpc.port, `${field}.port`, report));
  if (sleep) {
    take('sleep', (field) => {
      const seconds = sleep.seconds ?? 0;
      if (seconds >= 0 && seconds <= graceSeconds) return;
      report.add(
        field,
        `${String(seconds)} s is not between 0 and terminationGracePeriodSeconds (${String(graceSeconds)})`,
      );
    });
  }
  if (handlers === 0)
    report.required(at, 'must have a handler: exec, httpGet, tcpSocket, or grpc for a probe, sleep for a hook');
}

function validatePort(port: number | string | undefined, at: string, report: Report): void {
  report.check(at, typeof port === 'string' ? checkPortName(port) : checkPortNumber(port ?? 0));
}
