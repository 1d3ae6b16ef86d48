# python3 receiver.py
import base64, hmac, json, os, sqlite3, threading, time, traceback, urllib.error, urllib.request
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ['WEBHOOK_SECRET'][len('whsec_'):])
if len(KEY) < 24:
    raise SystemExit('WEBHOOK_SECRET is not a secret')


def is_genuine(headers, body):
    id, sent_at, signatures = (headers.get(f'webhook-{name}', '') for name in ('id', 'timestamp', 'signature'))
    digest = hmac.digest(KEY, f'{id}.{sent_at}.'.encode() + body, 'sha256')
    expected = b'v1,' + base64.b64encode(digest)
    fits = any(hmac.compare_digest(each.encode(), expected) for each in signatures.split())
    return fits and abs(time.time() - int(sent_at)) <= 300


def query(sql, *values):
    with closing(sqlite3.connect('inbox.db')) as database, database:
        database.execute('CREATE TABLE IF NOT EXISTS inbox (id TEXT PRIMARY KEY, body BLOB, done INT DEFAULT 0)')
        return database.execute(sql, values).fetchall()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['content-length']))
        genuine = is_genuine(self.headers, body)
        if genuine:
            query('INSERT OR IGNORE INTO inbox (id, body) VALUES (?, ?)', self.headers['webhook-id'], body)
        self.send_response(204 if genuine else 401)
        self.end_headers()


def read_order(id):
    headers = {'Authorization': f"Bearer {os.environ['STORE_KEY']}"}
    try:
        request = urllib.request.Request(f"{os.environ['STORE_URL']}/v1/orders/{id}", headers=headers)
        with urllib.request.urlopen(request, timeout=10) as response:
            print(id, json.load(response)['data']['status'])
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        print(id, 'deleted')


def read_orders():
    for message_id, body in query('SELECT id, body FROM inbox WHERE NOT done ORDER BY rowid'):
        data = json.loads(body)['data']
        for change in data.get('changes', [data]):
            if change.get('kind') == 'orders':  # otherwise a test message
                read_order(change['id'])
        query('UPDATE inbox SET done = 1 WHERE id = ?', message_id)


server = ThreadingHTTPServer(('', int(os.environ['PORT'])), Receiver)
threading.Thread(target=server.serve_forever).start()
while True:
    try:
        read_orders()
    except Exception:
        traceback.print_exc()
    time.sleep(1)
