import type { EventRecorder } from '@rxlet/component-base/events';
import type { Counter } from '@rxlet/component-base/metrics';
import { hostAndPort, httpGet, HttpError, type HttpGetRequest, type HttpPort } from '@rxlet/component-base/http';
import type { HTTPGetAction, Pod } from '@rxlet/kube-api';
import { findPodContainer, httpGetRequest, podEventObject } from '@rxlet/pod-model';

/** Limit of the response body; after it the connection is closed. */
const MAX_BODY_BYTES = 10 * 1024;

/** Ports and settings of HTTP hooks. */
export interface HttpHookContext {
  readonly http: HttpPort;
  readonly events: EventRecorder;
  readonly userAgent: string;
  readonly fallbacks: Counter;
  podIp(pod: Pod, signal: AbortSignal): Promise<string | undefined>;
}

/**
 * Sends the request of an HTTP hook, which succeeds with any response status. After a plain HTTP response to an HTTPS request, the request is repeated without
 * TLS and without credentials, because old versions of Kubernetes ignored the scheme.
 */
export async function runHttpHook(
  context: HttpHookContext,
  { pod, container }: { readonly pod: Pod; readonly container: string },
  action: HTTPGetAction,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const given = action.host ?? '';
  const hostname = given === '' ? await context.podIp(pod, signal) : given;
  if (hostname === undefined || hostname === '')
    throw new Error('failed to find networking container: the pod has no IP');
  const ports = findPodContainer(pod, container)?.container ?? {};
  const request = httpGetRequest(action, ports, { hostname, userAgent: context.userAgent });
  const options = { maxBodyBytes: MAX_BODY_BYTES, signal };
  try {
    await httpGet(context.http, request, options);
  } catch (error) {
    if (!(error instanceof HttpError && error.reason === 'PlainHttpServer')) throw error;
    try {
      await httpGet(context.http, withoutTls(request), options);
    } catch {
      // Report the failure of the request that the pod defines.
      throw error;
    }
    context.fallbacks.inc();
    context.events.event(
      podEventObject(pod),
      'Warning',
      'LifecycleHTTPFallback',
      `request to HTTPS lifecycle hook ${hostAndPort(request.hostname, request.port)} got HTTP response, retry with HTTP succeeded`,
    );
  }
}

function withoutTls(request: HttpGetRequest): HttpGetRequest {
  return {
    ...request,
    scheme: 'http',
    headers: request.headers.filter(([name]) => name.toLowerCase() !== 'authorization'),
  };
}
