<?php
$inbox = fn (): PDO => new PDO('sqlite:' . __DIR__ . '/inbox.db', null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$table = 'CREATE TABLE IF NOT EXISTS inbox (id TEXT PRIMARY KEY, body TEXT, done INTEGER DEFAULT 0)';

if (PHP_SAPI !== 'cli') {
    http_response_code(500); // Also of a script that fails: PHP would answer 200 where it displays errors.
    $body = file_get_contents('php://input');
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $sentAt = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    $key = base64_decode(substr((string) getenv('WEBHOOK_SECRET'), strlen('whsec_')));
    if (strlen($key) < 24) throw new RuntimeException('WEBHOOK_SECRET is not a secret');
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sentAt.$body", $key, true));
    $signatures = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');
    $fits = array_filter($signatures, fn ($each) => hash_equals($expected, $each));
    if (!$fits || abs(time() - (int) $sentAt) > 300) {
        http_response_code(401);
        exit;
    }
    $database = $inbox();
    $database->exec($table);
    $database->prepare('INSERT OR IGNORE INTO inbox (id, body) VALUES (?, ?)')->execute([$id, $body]);
    http_response_code(204);
    exit;
}

$database = $inbox();
$database->exec($table);
foreach ($database->query('SELECT id, body FROM inbox WHERE NOT done ORDER BY rowid')->fetchAll() as $message) {
    $data = json_decode($message['body'], true)['data'];
    foreach ($data['changes'] ?? [$data] as $change) {
        if (($change['kind'] ?? '') !== 'orders') continue; // a test message
        $header = 'Authorization: Bearer ' . getenv('STORE_KEY');
        $context = stream_context_create(['http' => ['header' => $header, 'ignore_errors' => true]]);
        $answer = file_get_contents(getenv('STORE_URL') . "/v1/orders/{$change['id']}", false, $context);
        $status = $answer === false ? 0 : (int) explode(' ', $http_response_header[0])[1];
        if ($status !== 200 && $status !== 404) exit("$status for order {$change['id']}\n");
        echo $change['id'], ' ', $status === 200 ? json_decode($answer, true)['data']['status'] : 'deleted', "\n";
    }
    $database->prepare('UPDATE inbox SET done = 1 WHERE id = ?')->execute([$message['id']]);
}
