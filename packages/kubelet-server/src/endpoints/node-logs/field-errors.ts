import { goQuote } from '@rxlet/component-base/go';
import { goJson } from '@rxlet/pod-model/hash';

/** Returns the message of an invalid field in the form of Kubernetes. Texts are quoted, lists are JSON. */
export function invalidField(field: string, value: string | bigint | readonly string[], detail: string): string {
  const shown = typeof value === 'string' ? goQuote(value) : typeof value === 'bigint' ? String(value) : goJson(value);
  return `${field}: Invalid value: ${shown}: ${detail}`;
}

/** Joins messages as Kubernetes does: each once, in brackets when there are several. */
export function joinErrors(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
}
