import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { EndpointResponse } from '@rxlet/agent-api/http';
import type { HandlerRoute, Route } from '../routing/route.ts';

const compress = promisify(gzip);

/** Returns the routes with those of metrics compressed for clients that accept gzip, as scrapers do. */
export function withCompressedMetrics(routes: readonly Route[]): readonly Route[] {
  return routes.map((route) =>
    'pattern' in route && /^\/metrics(?:$|\/)/.test(route.pattern) ? compressedRoute(route) : route,
  );
}

function compressedRoute(route: HandlerRoute): HandlerRoute {
  return {
    ...route,
    async handle(request) {
      const answer = await route.handle(request);
      const accepted = request.headers['accept-encoding'];
      return answer === undefined || !acceptsGzip(String(accepted ?? '')) ? answer : compressed(answer);
    },
  };
}

async function compressed(answer: EndpointResponse): Promise<EndpointResponse> {
  const { body, headers } = answer;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return answer;
  return { ...answer, headers: { ...headers, 'content-encoding': 'gzip' }, body: await compress(body) };
}

/** Reports whether a client accepts gzip (header `Accept-Encoding`); a quality of zero rejects it. */
function acceptsGzip(accepted: string): boolean {
  return accepted.split(',').some((part) => {
    const [encoding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return encoding === 'gzip' && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
