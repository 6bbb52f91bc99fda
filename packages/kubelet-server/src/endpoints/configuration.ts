import { parseGoUint } from '../request/go-numbers.ts';
import { errorLine, jsonAnswer } from '../request/answer.ts';
import type { HandlerRoute } from '../routing/route.ts';

/** Returns the route `/configz`: the configuration in effect. */
export function configzRoute(kubeletConfiguration: () => unknown): HandlerRoute {
  return {
    pattern: '/configz',
    handle: () => ({
      ...jsonAnswer({ kubeletconfig: kubeletConfiguration() }),
      headers: { 'x-content-type-options': 'nosniff' },
    }),
  };
}

/** Returns the route `/debug/flags/v`, where a PUT sets the verbosity of the log. */
export function verbosityRoute(setVerbosity: (verbosity: number) => void): HandlerRoute {
  return {
    pattern: '/debug/flags/v',
    async handle({ method, readBody }) {
      if (method !== 'PUT') return plainLine(406, 'unsupported http method');
      const parsed = parseGoUint(await readBody(), 32);
      if (typeof parsed === 'string') return plainLine(400, parsed);
      setVerbosity(Number(parsed));
      return plainLine(200, `successfully set klog.logging.verbosity to ${String(parsed)}`);
    },
  };
}

/** Returns the route of an endpoint that is switched off. */
export function disabledRoute(pattern: string, message: string): HandlerRoute {
  return { pattern, handle: () => errorLine(405, message) };
}

const plainLine = (status: number, text: string) => ({ ...errorLine(status, text), contentType: 'text/plain' });
