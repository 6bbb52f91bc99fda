import type { Plan } from './plan.ts';

/** The ports of web servers, by the last part of their image's repository. */
const PORTS: readonly (readonly [RegExp, number])[] = [
  [/^(?:nginx|httpd)$/, 80],
  // The image of the CRI validation suite for pods on the host's network.
  [/^hostnet-nginx-\w+$/, 12003],
];

/** Returns the plan of an image that is known as a web server: HTTP on its port, beside whatever program it has. */
export function webServerPlan(images: readonly string[]): Plan | undefined {
  for (const image of images) {
    const name = /([^/:@]+)(?:[:@][^/]*)?$/.exec(image)?.[1] ?? '';
    const port = PORTS.find(([pattern]) => pattern.test(name))?.[1];
    if (port !== undefined) return { ports: [{ port, protocol: 'http', responses: [{ body: PAGE }] }] };
  }
  return undefined;
}

const PAGE = '<!DOCTYPE html><title>Welcome</title><h1>It works!</h1>\n';
