import type { Agent } from '@rxlet/agent';
import { type EndpointRequest, httpEndpoints } from '@rxlet/agent-api/http';
import type { Life } from '@rxlet/journal/model';

/** Answers a GET request with an endpoint of the agent. */
export async function getEndpoint(agent: Agent, path: string, ...segments: readonly string[]): Promise<unknown> {
  const endpoint = agent.contributions(httpEndpoints).find((one) => one.path === path)!;
  const request: EndpointRequest = {
    method: 'GET',
    segments,
    parameters: new URLSearchParams(),
    headers: {},
    signal: new AbortController().signal,
  };
  const { body } = await endpoint.handle(request);
  return JSON.parse(body as string);
}

/** Returns the latest life of a pod in the namespace `default`. */
export async function journalOf(agent: Agent, name: string): Promise<Life> {
  return (await getEndpoint(agent, 'journal', 'default', name)) as Life;
}
