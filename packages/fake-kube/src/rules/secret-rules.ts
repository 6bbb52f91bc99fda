import type { Secret } from '@rxlet/kube-api';
import type { ObjectRules } from './rule-context.ts';

/** Secrets: plain text of `stringData` becomes base64, and the type has a default. */
export const secretRules: ObjectRules = {
  create: (object) => encoded(object),
  update: (next) => encoded(next),
};

function encoded<T extends object>(object: T): T {
  const { stringData, ...secret } = object as T & Secret;
  const added = Object.entries(stringData ?? {}).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  const data = { ...secret.data, ...(Object.fromEntries(added) as Record<string, string>) };
  return { ...secret, ...(Object.keys(data).length > 0 && { data }), type: secret.type ?? 'Opaque' } as unknown as T;
}
