import { goRegexpFault } from './go-regexp.ts';
import { invalidField } from './field-errors.ts';
import { hasOptions, type LogQuery, type LogQueryOptions } from './log-query.ts';

const MAX_SERVICES = 4;
const MAX_SERVICE_BYTES = 256;
const MAX_TAIL_LINES = 100_000n;
/** Characters that cannot change the meaning of an argument of journalctl. */
const SAFE_SERVICE = /^[a-zA-Z\-_.:0-9@]*$/;

/**
 * Returns what is wrong with a query, in the words and the order of the kubelet. `faultOfFile` returns why there is no such file, for a query that is otherwise one for
 * a file.
 */
export async function validateLogQuery(
  query: LogQuery,
  faultOfFile: (file: string) => Promise<string | undefined>,
): Promise<readonly string[]> {
  return [
    ...serviceErrors(query.services),
    ...(await targetErrors(query, faultOfFile)),
    ...optionErrors(query.options),
  ];
}

function serviceErrors(services: readonly string[]): readonly string[] {
  const errors = services.flatMap((service) => {
    const fault = serviceFault(service);
    return fault === undefined ? [] : [invalidField('query', service, fault)];
  });
  if (services.length <= MAX_SERVICES) return errors;
  return [...errors, `query: Too many: ${String(services.length)}: must have at most ${String(MAX_SERVICES)} items`];
}

function serviceFault(service: string): string | undefined {
  if (Buffer.byteLength(service) > MAX_SERVICE_BYTES) return `length must be less than ${String(MAX_SERVICE_BYTES)}`;
  return SAFE_SERVICE.test(service) ? undefined : 'input contains unsupported characters';
}

async function targetErrors(
  { services, files, options }: LogQuery,
  faultOfFile: (file: string) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const [file] = files;
  if (file === undefined) return services.length > 0 ? [] : ['query: Required value: cannot be empty with options'];
  if (services.length > 0) {
    const both = `[${files.join(' ')}], [${services.join(' ')}]`;
    return [invalidField('query', both, 'cannot specify a file and service')];
  }
  if (files.length > 1) return [invalidField('query', files, 'cannot specify more than one file')];
  if (hasOptions(options)) return [invalidField('query', files, 'cannot specify file with options')];
  const fault = await faultOfFile(file);
  return fault === undefined ? [] : [invalidField('query', files, fault)];
}

function optionErrors({ sinceTime, untilTime, boot, tailLines, pattern }: LogQueryOptions): readonly string[] {
  const errors: string[] = [];
  if (sinceTime !== undefined && untilTime !== undefined && sinceTime.epochNanos > untilTime.epochNanos) {
    errors.push(invalidField('untilTime', untilTime.text, 'must be after `sinceTime`'));
  }
  if (boot !== undefined && boot > 0n) errors.push(invalidField('boot', boot, 'must be less than 1'));
  if (tailLines !== undefined && (tailLines < 0n || tailLines > MAX_TAIL_LINES)) {
    errors.push(invalidField('tailLines', tailLines, `must be between 0 and ${String(MAX_TAIL_LINES)}, inclusive`));
  }
  const fault = goRegexpFault(pattern);
  if (fault !== undefined) errors.push(invalidField('pattern', pattern, fault));
  return errors;
}
