import { EndpointError } from '@rxlet/agent-api/http';

/**
 * Reads a boolean parameter. As in the API, its name alone switches it on.
 *
 * @throws EndpointError 422 for any other value
 */
export function flagParameter(parameters: URLSearchParams, name: string): boolean {
  const value = parameters.get(name)?.toLowerCase();
  if (value === undefined || value === 'false' || value === '0') return false;
  if (value === '' || value === 'true' || value === '1') return true;
  throw new EndpointError(422, `${name} "${value}" is neither true nor false`);
}
