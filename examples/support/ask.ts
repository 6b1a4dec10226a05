export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

/** GET, or POST when there is something to say; the answer is JSON. */
export async function ask<Body>(url: string, said?: unknown): Promise<Answer<Body>> {
  const response = await fetch(url, said === undefined ? {} : { method: 'POST', body: JSON.stringify(said) });
  return { status: response.status, body: (await response.json()) as Body };
}
