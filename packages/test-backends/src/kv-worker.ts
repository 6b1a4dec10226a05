/** The worker that offers its KV namespace over HTTP, so that several processes can share one. */
export const KV_WORKER = `
const decode = (text) => (text === null ? undefined : JSON.parse(text));
export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const key = url.searchParams.get('key');
    const options = decode(url.searchParams.get('options'));
    try {
      switch (url.pathname) {
        case '/get': {
          const { value, metadata } = await env.KV.getWithMetadata(key, { ...options, type: 'arrayBuffer' });
          const headers = { 'x-found': String(value !== null), 'x-metadata': encodeURIComponent(JSON.stringify(metadata)) };
          return new Response(value, { headers });
        }
        case '/put':
          await env.KV.put(key, await request.arrayBuffer(), options);
          return new Response();
        case '/delete':
          await env.KV.delete(key);
          return new Response();
        case '/list':
          return Response.json(await env.KV.list(options));
      }
      return new Response('ready');
    } catch (error) {
      return new Response(String(error.message), { status: 500, headers: { 'x-error': error.name } });
    }
  },
};
`;
