import { EndpointError, type HttpEndpoint } from '@rxlet/agent-api/http';
import { openPageFiles, type PageFiles } from '../files/page-files.ts';
import { pageFileAnswer } from '../files/send-page-file.ts';

/** Returns the endpoints `/ui/`, the page itself, and `/ui/session`: the server that has them knows its clients by its own authentication. */
export function pageEndpoints(folder: string): readonly HttpEndpoint[] {
  let opened: Promise<PageFiles> | undefined;
  return [
    {
      path: 'ui',
      methods: ['GET', 'HEAD'],
      maxSegments: 2,
      isPage: true,
      async handle({ segments, headers }) {
        opened ??= openPageFiles(folder);
        const file = await (await opened).find(segments.join('/') || 'index.html');
        if (file === undefined) throw new EndpointError(404, 'the page has no such file');
        const encodings = headers['accept-encoding'];
        const answer = pageFileAnswer(file, typeof encodings === 'string' ? encodings : undefined, {
          allowsStyleAttributes: false,
        });
        const { 'content-type': contentType, ...others } = answer.headers;
        return { contentType: contentType!, headers: others, body: answer.body };
      },
    },
    {
      path: 'ui/session',
      methods: ['GET'],
      handle: () => ({ contentType: 'application/json', body: JSON.stringify({ allowsExec: false }) }),
    },
  ];
}
